"""Mathematics only: finite fields, bases, isomorphisms, bit matrices, and AES's linear maps in any of them."""
