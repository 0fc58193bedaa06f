// For sources that include a file of this name, which their repository does not have.
