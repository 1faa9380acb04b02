module example.org/httprouter

go 1.24

require github.com/julienschmidt/httprouter v1.3.0
