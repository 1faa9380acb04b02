%% An HTTP server on gen_tcp: a process per connection that blocks in recv, and the runtime's own
%% parser of HTTP heads ({packet, http_bin}), which keeps what was sent ahead for the next recv.
-module(server).
-export([start/0]).

-record(request, {method, path, version, length = 0, connection = []}).

%% `erl -s server` waits until this returns, so the work is done in a process of its own.
start() ->
    os:set_signal(sigterm, default),    % at once; the runtime's own farewell takes a second
    {ok, Host} = inet:parse_ipv4_address(os:getenv("HOST")),
    Port = list_to_integer(os:getenv("PORT")),
    spawn(fun() -> listen(Host, Port) end).

listen(Host, Port) ->
    Options = [binary, {ip, Host}, {packet, http_bin}, {active, false},
               {nodelay, true}, {backlog, 4096}, {reuseaddr, true}],
    case gen_tcp:listen(Port, Options) of
        {ok, Listener} ->
            ets:new(clock, [named_table, {read_concurrency, true}]),
            ets:insert(clock, {date, now_text()}),
            [spawn(fun() -> accept(Listener) end)
             || _ <- lists:seq(1, erlang:system_info(schedulers_online))],
            tick();     % the listener and the clock live as long as this process
        {error, Reason} ->
            io:format(standard_error, "listen: ~s~n", [inet:format_error(Reason)]),
            halt(1)
    end.

tick() ->
    timer:sleep(1000),
    ets:insert(clock, {date, now_text()}),
    tick().

now_text() ->
    {{Year, Month, Day} = Date, {Hour, Minute, Second}} = calendar:universal_time(),
    Weekday = element(calendar:day_of_the_week(Date), {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}),
    Name = element(Month, {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}),
    iolist_to_binary(io_lib:format("~s, ~2..0b ~s ~b ~2..0b:~2..0b:~2..0b GMT",
                                   [Weekday, Day, Name, Year, Hour, Minute, Second])).

accept(Listener) ->
    case gen_tcp:accept(Listener) of
        {ok, Socket} ->
            Pid = spawn(fun() -> receive go -> request(Socket) end end),
            gen_tcp:controlling_process(Socket, Pid),
            Pid ! go;
        {error, _} ->
            timer:sleep(100)    % out of file descriptors: some come back
    end,
    accept(Listener).

%% ---- a request; no timeout, so a connection waits for its next turn as long as it takes ----

request(Socket) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, {http_request, Method, {abs_path, Target}, Version}} ->
            [Path | _] = binary:split(Target, <<"?">>),
            fields(Socket, #request{method = Method, path = Path, version = Version});
        {ok, _} -> refuse(Socket, <<"400 Bad Request">>);
        {error, _} -> gen_tcp:close(Socket)
    end.

fields(Socket, Request) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, {http_header, _, 'Content-Length', _, Value}} ->
            try binary_to_integer(Value) of
                Length when Length >= 0 -> fields(Socket, Request#request{length = Length});
                _ -> refuse(Socket, <<"400 Bad Request">>)
            catch
                error:_ -> refuse(Socket, <<"400 Bad Request">>)
            end;
        {ok, {http_header, _, 'Transfer-Encoding', _, _}} ->
            refuse(Socket, <<"501 Not Implemented">>);
        {ok, {http_header, _, 'Connection', _, Value}} ->
            Words = string:lexemes(string:lowercase(Value), ", "),
            fields(Socket, Request#request{connection = Words});
        {ok, {http_header, _, _, _, _}} -> fields(Socket, Request);
        {ok, http_eoh} -> body(Socket, Request);
        {ok, _} -> refuse(Socket, <<"400 Bad Request">>);
        {error, _} -> gen_tcp:close(Socket)
    end.

body(Socket, #request{length = 0} = Request) ->
    respond(Socket, Request, <<>>);
body(Socket, #request{length = Length} = Request) ->
    inet:setopts(Socket, [{packet, raw}]),
    case gen_tcp:recv(Socket, Length) of
        {ok, Body} ->
            inet:setopts(Socket, [{packet, http_bin}]),
            respond(Socket, Request, Body);
        {error, _} -> gen_tcp:close(Socket)
    end.

%% ---- its answer ----

answer(<<"/">>, _) -> {<<"200 OK">>, <<"text/plain">>, <<"Hello, World!">>};
answer(<<"/empty">>, _) -> {<<"200 OK">>, <<"text/plain">>, <<>>};
answer(<<"/fillbuffer">>, _) ->
    {<<"200 OK">>, <<"application/json">>, json(#{<<"result">> => <<"Hello world">>})};
answer(<<"/echo">>, Body) -> {<<"200 OK">>, <<"text/plain">>, Body};
answer(<<"/delay">>, _) ->
    timer:sleep(5),     % of this connection's process alone
    {<<"200 OK">>, <<"text/plain">>, <<"Hello, World!">>};
answer(_, _) -> {<<"404 Not Found">>, <<"text/plain">>, <<"Not Found">>}.

%% OTP has a json module from 27 on. Before, without a dependency, one writes out an iolist.
json(Object) when is_map(Object) ->
    [${, lists:join($,, [[json(Key), $:, json(Value)] || {Key, Value} <- maps:to_list(Object)]), $}];
json(Text) when is_binary(Text) ->
    [$", [escape(Character) || <<Character>> <= Text], $"].

escape($") -> <<"\\\"">>;
escape($\\) -> <<"\\\\">>;
escape(Control) when Control < 32 -> io_lib:format("\\u~4.16.0b", [Control]);
escape(Character) -> Character.

respond(Socket, #request{method = Method, version = Version, connection = Words} = Request, Body) ->
    {Status, Type, Content} = answer(Request#request.path, Body),
    Stays = case Version of
                {1, 1} -> not lists:member(<<"close">>, Words);
                _ -> lists:member(<<"keep-alive">>, Words)
            end,
    Reuse = case {Stays, Version} of
                {false, _} -> <<"Connection: close\r\n">>;
                {true, {1, 1}} -> <<>>;     % goes without saying
                {true, _} -> <<"Connection: keep-alive\r\n">>
            end,
    Head = head(Status, Type, iolist_size(Content), Reuse),
    Sent = gen_tcp:send(Socket, case Method of 'HEAD' -> Head; _ -> [Head, Content] end),
    case Stays andalso Sent =:= ok of
        true -> request(Socket);
        false -> gen_tcp:close(Socket)
    end.

refuse(Socket, Status) ->
    gen_tcp:send(Socket, head(Status, <<"text/plain">>, 0, <<"Connection: close\r\n">>)),
    gen_tcp:close(Socket).

head(Status, Type, Length, Reuse) ->
    [<<"HTTP/1.1 ">>, Status, <<"\r\nContent-Type: ">>, Type,
     <<"\r\nContent-Length: ">>, integer_to_binary(Length),
     <<"\r\nDate: ">>, ets:lookup_element(clock, date, 2), <<"\r\n">>, Reuse, <<"\r\n">>].
