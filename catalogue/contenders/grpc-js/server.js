'use strict';

const fs = require('node:fs');
const path = require('node:path');
const grpc = require('@grpc/grpc-js');
const protoLoader = require('@grpc/proto-loader');

const definition = protoLoader.loadSync(path.join(__dirname, 'helloworld.proto'));
const { helloworld } = grpc.loadPackageDefinition(definition);

function sayHello(call, callback) {
  callback(null, { message: `Hello, ${call.request.name}!` });
}

function sayHelloStreamReply(call) {
  for (let each = 0; each < 10; each += 1) call.write({ message: `Hello, ${call.request.name}!` });
  call.end();
}

function credentials() {
  if (process.env.PROTOCOL !== 'h2') return grpc.ServerCredentials.createInsecure();
  const [cert, key] = ['TLS_CERT', 'TLS_KEY'].map((name) => fs.readFileSync(process.env[name]));
  return grpc.ServerCredentials.createSsl(null, [{ cert_chain: cert, private_key: key }]);
}

const server = new grpc.Server();
server.addService(helloworld.Greeter.service, { sayHello, sayHelloStreamReply });
server.bindAsync(`${process.env.HOST}:${process.env.PORT}`, credentials(), (error) => {
  if (error) throw error;
});
