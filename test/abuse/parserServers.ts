import { createServer, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { chooseBinary, installedPackages, prepareBinary, readHost } from '../../native/sockets/binaries.mjs'
import type { SocketFunctions } from '../../src/front/socketLibrary.ts'
import { openHttpService } from '../support/httpService.ts'

/** Serves one of the parsers on a free port of loopback and tells the parent process the port. */
async function serve(kind: string): Promise<number> {
  if (kind === 'this node') return (await openHttpService()).port
  return kind === 'node:http' ? serveNode() : serveUws(kind)
}

function serveUws(name: string): Promise<number> {
  const packages = installedPackages().filter((one) => one.name === name)
  const path = prepareBinary(chooseBinary(readHost(), packages))
  const library = createRequire(import.meta.url)(path) as SocketFunctions
  return new Promise((resolve, reject) => {
    library
      .App()
      .any('/*', (response) => {
        response.onAborted(() => undefined)
        response.onData((_chunk, isLast) => {
          if (isLast) response.end('ok')
        })
      })
      .listen('127.0.0.1', 0, (socket) => {
        if (socket === false) reject(new Error('no port'))
        else resolve(library.us_socket_local_port(socket))
      })
  })
}

function serveNode(): Promise<number> {
  const server = createServer((request: IncomingMessage, response) => {
    request.resume().on('end', () => response.end('ok'))
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

process.send?.(await serve(String(process.argv[2])))
process.on('disconnect', () => process.exit(0))
