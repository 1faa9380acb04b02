#!/usr/bin/perl
# The application, as Mojolicious::Lite's tutorial writes it.
use Mojolicious::Lite -signatures;
use Digest::SHA 'sha256_hex';
use Mojo::IOLoop;

# As many connections to the upstream as there are requests under way; the default is 5.
app->ua->max_connections(8192)->inactivity_timeout(300);
app->static->paths([$ENV{STATIC_DIR}]) if $ENV{STATIC_DIR};
app->log->level('warn');

sub text ($c, $body) { $c->render(data => $body, format => 'txt') }

get '/' => sub ($c) { text($c, 'Hello, World!') };

get '/empty' => sub ($c) { text($c, '') };

get '/fillbuffer' => sub ($c) { $c->render(json => {result => 'Hello world'}) };

post '/echo' => sub ($c) { text($c, $c->req->body) };

get '/delay' => sub ($c) {
  $c->render_later;
  Mojo::IOLoop->timer(0.005 => sub ($loop) { text($c, 'Hello, World!') });
};

post '/upload' => sub ($c) { text($c, sha256_hex($c->req->body)) };

get '/forward' => sub ($c) {
  $c->render_later;
  $c->ua->get_p("$ENV{UPSTREAM}/")->then(sub ($tx) {
    my $answer = $tx->res;
    $c->res->headers->content_type($answer->headers->content_type);
    $c->render(data => $answer->body, status => $answer->code);
  })->catch(sub ($error) { $c->render(text => $error, status => 502) });
};

get '/static/#name' => sub ($c) { $c->reply->static($c->param('name')) };

app->start;
