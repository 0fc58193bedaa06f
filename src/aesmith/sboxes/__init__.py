"""The catalogue of published S-boxes and inverters, one module a publication, each made of fields and circuits."""
