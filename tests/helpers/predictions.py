"""Where the chapters ask for predictions, and where they first tell the answers."""

from pathlib import Path

CHAPTERS = Path(__file__).parents[2] / "chapters"


def page_of(number):
    """The page that asks the question of this number: its chapter, or what comes before all."""
    if number == "0.3":
        return "before-you-begin"
    (chapter,) = CHAPTERS.glob(f"{int(number.split('.')[0]):02}-*.ipynb")
    return chapter.stem


# What first tells the answer of each prediction, in a text, a print or the words of a picture
TELLS = {
    "0.1": r"91 %",
    "0.2": r"0\.71|hardly alike any more\. Is it",
    "0.3": r"above that each jump ends further out",
    "1.1": r"zugemacht with zu|the closest to .zugemacht",
    "2.1": r"0\.949|29 times",
    "2.2": r"moves towards the value of .red",
    "3.1": r"\b512 0\.94|94 %",
    "4.1": r"No single head is needed|^0 +0\.86",
    "4.2": r"numbers that agree: \d|Fewer than 3",
    "5.1": r"0\.09\b|Nine per cent|nine per cent",
    "6.1": r"without +the woman",
    "6.2": r"two products are equal|not even the direction is left",
    "7.1": r"two thirds of the weights",
    "7.2": r"two layers make all words",
    "8.1": r"the model learns both languages side by side",
    "8.2": r"^unseen +100",
    "9.1": r"Xavier's +0 +0\.3|hardly look at all",
    "9.2": r"^without head 0|not the head that is missed most",
    "10.1": r"999 steps|500 layers",
    "10.2": r"^attention with projections +71|twice as many even",
    "10.3": r"take 17\.18|half a gigabyte",
    "11.1": r"weight on bier|much of it on zugemacht|A head or more looks at .zugemacht",
    "11.2": r"Top-p leaves about two dozen words",
    "11.3": r"without lower 0 and 1",
    "12.1": r"8,030,261,248: 17 and 70 %|falls to 17 %",
    "12.2": r"Most lie below 5 percent|there is next to no mean",
    "12.3": r"the bias by distance stays near|bias by distance stays low",
    "12.4": r"SwiGLU, which is less than a tenth|With a gate the error",
    "12.5": r"8 heads 20\.5 and 782|more than double what",
    "12.6": r"saves no multiplication",
    "13.1": r"10,240 tokens: 25",
    "13.2": r"with one at work know all|Eight small networks know all",
    "13.3": r"with one at work 24|The eight get fewer right",
    "13.4": r"The key is never made",
    "13.5": r"rises from about ten to more than a million|to a single word",
    "13.6": r"the first token three of four|a quarter of the sentences",
    "13.7": r"six in ten of 32|gives back less",
    "13.8": r"recalls nearly everything|Four numbers are enough to look",
}
# How far below the top of each question its answer is first told
TOLD_AFTER = """(tells) => {
    const told = {};
    const read = (one) => (one.alt ?? one.textContent).replace(/[ \\u00a0]/g, " ");
    const asked = [...document.querySelectorAll("[data-figure=Prediction]")];
    const all = [...document.querySelectorAll("article :is(p, li, td, pre, img)")]
        .filter((node) => node.checkVisibility());
    for (const [id, tell] of tells) {
        const question = document.getElementById(id);
        const home = asked.find((one) => !(question.compareDocumentPosition(one) & 2));
        const after = all.filter((one) => home.compareDocumentPosition(one) & 4);
        const first = after.find((one) => new RegExp(tell, "m").test(read(one)));
        told[id] = first && first.getBoundingClientRect().top - home.getBoundingClientRect().top;
    }
    return told;
}"""


def tells_on(page):
    """For each prediction of a page: its anchor, and what first tells its answer."""
    return [
        [f"prediction-{number.replace('.', '-')}", tell]
        for number, tell in TELLS.items()
        if page_of(number) == page
    ]
