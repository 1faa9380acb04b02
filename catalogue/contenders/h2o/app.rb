# Interpreted by the mruby inside h2o, in each thread. A request's path is what the handler is
# mounted on in h2o.conf (SCRIPT_NAME) and the rest of it (PATH_INFO), as Rack has it.

Proc.new do |env|
  case env["SCRIPT_NAME"] + env["PATH_INFO"]
  when "/"
    [200, {"content-type" => "text/plain"}, ["Hello, World!"]]
  when "/empty"
    [200, {"content-type" => "text/plain"}, []]
  when "/fillbuffer"
    [200, {"content-type" => "application/json"}, [JSON.generate({"result" => "Hello world"})]]
  when "/echo"
    body = env["rack.input"]    # nil where the request has none
    [200, {"content-type" => "text/plain"}, [body ? body.read : ""]]
  else
    [404, {"content-type" => "text/plain"}, ["Not Found"]]
  end
end
