"""What made a file that the package or a page reads: `README.md` has the table."""
