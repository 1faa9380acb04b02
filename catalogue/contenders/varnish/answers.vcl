vcl 4.1;
# A template: start.sh fills in @ADDRESS@ and @UPPORT@, the upstream's.

backend asked {
    .host = "@ADDRESS@";
    .port = "@UPPORT@";
}

sub vcl_recv {
    if (req.url == "/forward") {
        set req.url = "/";
        return (pass);      # what is cached would not be forwarded
    }
    if (req.url == "/" || req.url == "/empty" || req.url == "/fillbuffer") {
        return (synth(200));
    }
    return (synth(404));
}

sub vcl_synth {
    set resp.http.Content-Type = "text/plain";
    if (req.url == "/") {
        set resp.body = "Hello, World!";
    } else if (req.url == "/empty") {
        set resp.body = "";
    } else if (req.url == "/fillbuffer") {
        set resp.http.Content-Type = "application/json";
        set resp.body = """{"result":"Hello world"}""";
    } else {
        set resp.body = "Not Found";
    }
    return (deliver);
}
