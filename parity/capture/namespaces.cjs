// Loaded into aimock's process: a call named `namespace.name` is sent as a namespaced one, which aimock itself
// cannot do. Events are written whole, so replacing the text before it is framed is enough.
'use strict';
const { ServerResponse } = require('node:http');

const NAMED = /"name":"([a-z][a-z0-9_]*)\.([a-z][a-z0-9_]*)"/g;

for (const method of ['write', 'end']) {
  const plain = ServerResponse.prototype[method];
  ServerResponse.prototype[method] = function (chunk, ...rest) {
    const sent = typeof chunk === 'string' ? chunk.replace(NAMED, '"name":"$2","namespace":"$1"') : chunk;
    return plain.call(this, sent, ...rest);
  };
}
