"""A decoder alone that writes in the page, with its model."""
