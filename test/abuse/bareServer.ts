import { loadSocketLibrary } from '../../src/front/socketLibrary.ts'

/**
 * The socket library alone: 401 for one path, a fixed answer for every other. What a node cannot do better than this
 * under the same flood is not the node's. Prints its port.
 */
const { App, us_socket_local_port } = loadSocketLibrary()
const REFUSAL = '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"missing or unknown API key"}}'
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":"0x21"}'

App()
  .post('/*', (response, request) => {
    const isWrong = request.getUrl() === '/wrong'
    if (isWrong) response.writeStatus('401 Unauthorized')
    response.writeHeader('Content-Type', 'application/json').end(isWrong ? REFUSAL : ANSWER)
  })
  .listen('127.0.0.1', 0, (socket) => {
    process.stdout.write(`${socket ? us_socket_local_port(socket) : 0}\n`)
  })
