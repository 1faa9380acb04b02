module example.org/httprouter

go 1.22.0

require github.com/julienschmidt/httprouter v1.3.0
