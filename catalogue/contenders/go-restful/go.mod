module example.org/go-restful

go 1.22.0

require github.com/emicklei/go-restful/v3 v3.14.0
