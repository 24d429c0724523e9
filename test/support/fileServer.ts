import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import type { Test } from 'tap'

/** A server of the files of a folder, with ranges, as snapshots are given away. */
export interface FileServer {
  readonly url: string
  /** Requests so far: the name of the file, the first byte asked for, the status answered. */
  readonly seen: readonly { readonly file: string; readonly start: number; readonly status: number }[]
}

/** What a server may do to its clients. */
export interface FileServerOptions {
  /** Bytes of an answer after which the connection breaks; none unless said. */
  readonly breaksAfter?: number
  /** Waited for before each answer. */
  readonly before?: (file: string) => Promise<void>
}

/** Serves a folder until the end of the test. */
export async function serveFiles(
  t: Test,
  folder: string,
  { breaksAfter = Number.POSITIVE_INFINITY, before }: FileServerOptions = {},
): Promise<FileServer> {
  const seen: FileServer['seen'][number][] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const file = basename(request.url ?? '')
    await before?.(file)
    const bytes = await readFile(join(folder, file)).catch(() => null)
    const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1]
    const start = Number(asked ?? 0)
    const status = bytes === null ? 404 : asked === undefined ? 200 : 206
    seen.push({ file, start, status })
    if (bytes === null) {
      response.writeHead(404).end()
      return
    }
    response.writeHead(status, {
      'content-length': bytes.length - start,
      ...(status === 206 && { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` }),
    })
    response.write(bytes.subarray(start, start + breaksAfter), () => {
      if (start + breaksAfter < bytes.length) response.destroy()
      else response.end()
    })
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen }
}
