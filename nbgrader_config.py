# For teachers: copy this file into a course folder of nbgrader. The chapter "For teachers" says
# what to do with it.
from nbconvert.preprocessors import TagRemovePreprocessor

c = get_config()  # noqa: F821  nbgrader provides it

# The chapters' answer cells are blank as they stand, so nothing needs to be cleared in a student
# edition; the cells with the solutions are left out.
c.GenerateAssignment.preprocessors = [
    TagRemovePreprocessor,
    "nbgrader.preprocessors.LockCells",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
]
c.TagRemovePreprocessor.enabled = True
c.Execute.timeout = 300  # seconds a cell; chapter 8 trains a model
c.TagRemovePreprocessor.remove_cell_tags = {"solution"}
