"""What tests share: matches, workbooks, the program run as a host runs it."""
