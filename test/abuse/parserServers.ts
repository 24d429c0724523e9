import { createServer, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { chooseBinary, installedPackages, prepareBinary, readHost } from '../../native/sockets/binaries.mjs'
import type { SocketFunctions } from '../../src/front/socketLibrary.ts'
import { openHttpService } from '../support/httpService.ts'

/** Serves one of the parsers on a free port of loopback and tells the parent process the port. */
async function serve(kind: string): Promise<number> {
  if (kind === 'node:http') return serveNode()
  const [, build] = /^this node, (.+)$/.exec(kind) ?? []
  if (build === undefined) return serveUws(loadBuild(kind))
  return (await openHttpService({ sockets: { ...loadBuild(build), source: build } })).port
}

function loadBuild(name: string): SocketFunctions {
  const packages = installedPackages().filter((one) => one.name === name)
  return createRequire(import.meta.url)(prepareBinary(chooseBinary(readHost(), packages))) as SocketFunctions
}

function serveUws(library: SocketFunctions): Promise<number> {
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
