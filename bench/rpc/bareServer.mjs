// The socket library alone: reads each request and answers it with as many bytes as the path says, `/44`.
// node bareServer.mjs; prints its port.
import { createRequire } from 'node:module'
import { chooseBinary, installedPackages, prepareBinary, readHost } from '../../native/sockets/binaries.mjs'

const { App, us_socket_local_port: portOf } = /** @type {typeof import('uWebSockets.js')} */ (
  createRequire(import.meta.url)(prepareBinary(chooseBinary(readHost(), installedPackages())))
)

/** @type {Map<string, string>} */
const answers = new Map()

/** @param {string} url */
function answerOf(url) {
  let answer = answers.get(url)
  if (answer === undefined) {
    answer = 'x'.repeat(Number(url.slice(1)))
    answers.set(url, answer)
  }
  return answer
}

App()
  .post('/*', (response, request) => {
    const answer = answerOf(request.getUrl())
    response.onAborted(() => undefined)
    response.onData((_, isLast) => {
      if (isLast) response.writeHeader('Content-Type', 'application/json').end(answer)
    })
  })
  .ws('/*', {
    upgrade: (response, request, context) => {
      response.upgrade(
        { answer: answerOf(request.getUrl()) },
        request.getHeader('sec-websocket-key'),
        request.getHeader('sec-websocket-protocol'),
        request.getHeader('sec-websocket-extensions'),
        context,
      )
    },
    message: (socket) => {
      const { answer } = /** @type {{ answer: string }} */ (socket.getUserData())
      socket.send(answer)
    },
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (socket === false) throw new Error('no port')
    console.log(portOf(socket))
  })
