"""The verbs of the command line, one a module: each turns a request into calls of other rooms, and prints what came."""
