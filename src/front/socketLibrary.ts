import { createRequire } from 'node:module'
import { chooseBinary, installedPackages, prepareBinary, readHost } from '../../native/sockets/binaries.mjs'

/** The functions of uWebSockets.js that the front calls beside the objects that an app hands out. */
export type SocketFunctions = Pick<
  typeof import('uWebSockets.js'),
  'App' | 'SSLApp' | 'us_listen_socket_close' | 'us_socket_local_port'
>

/** The socket library that runs here. */
export interface SocketLibrary extends SocketFunctions {
  /** The package it is from and its version, such as `uWebSockets.js 20.57.0`. */
  readonly source: string
}

/**
 * Loads the build of uWebSockets.js that fits this Node and this C library.
 * @throws SocketLibraryError when there is none, or none can be prepared
 */
export function loadSocketLibrary(): SocketLibrary {
  const binary = chooseBinary(readHost(), installedPackages())
  const functions = createRequire(import.meta.url)(prepareBinary(binary)) as SocketFunctions
  const { App, SSLApp, us_listen_socket_close, us_socket_local_port } = functions
  const source = `${binary.name} ${binary.version}`
  return { App, SSLApp, us_listen_socket_close, us_socket_local_port, source }
}
