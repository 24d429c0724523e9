import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Content types by ending; other files of the folder are not given out. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
])

/** The text that stands in the document for the version of the files. */
const VERSION_MARK = 'page/VERSION/'

const DOCUMENT = 'index.html'
const HASH_DIGITS = 16
const BROTLI_QUALITY = 9

/** The folder of the page beside this one, in the sources as in the built files. */
const PAGE_FOLDER = new URL('../page/', import.meta.url)

/**
 * One file of the page in every form in which it is sent. It is compressed when a browser first asks for that form,
 * which takes a millisecond: most nodes are never looked at, and to compress all files took a tenth of a start.
 */
export class PageFile {
  readonly type: string
  readonly plain: Buffer
  /** Of the plain content: weak, for the other forms have other bytes. */
  readonly etag: string
  #gzip: Buffer | null = null
  #brotli: Buffer | null = null

  constructor(path: string, plain: Buffer) {
    this.type = TYPES.get(extname(path)) ?? ''
    this.plain = plain
    const digest = createHash('sha256').update(plain).digest('hex').slice(0, HASH_DIGITS)
    this.etag = `W/"${digest}"`
  }

  get gzip(): Buffer {
    this.#gzip ??= gzipSync(this.plain)
    return this.#gzip
  }

  get brotli(): Buffer {
    const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY }
    this.#brotli ??= brotliCompressSync(this.plain, { params })
    return this.#brotli
  }
}

/** The files of the page. */
export interface PageFiles {
  readonly document: PageFile
  /** The files that the document needs, by their path below the server's root. */
  readonly parts: ReadonlyMap<string, PageFile>
}

/**
 * Reads the files of the page. Their paths contain a hash over all of them, so browsers may cache each for good and
 * never mix two versions.
 * @throws what reading the folder throws
 */
export async function readPageFiles(folder: URL = PAGE_FOLDER): Promise<PageFiles> {
  const base = fileURLToPath(folder)
  const found = await readdir(base, { recursive: true })
  const paths = found.filter((path) => TYPES.has(extname(path))).sort()
  const contents = await Promise.all(
    paths.map(async (path) => [path.split(sep).join('/'), await readFile(join(base, path))] as const),
  )
  const hash = createHash('sha256')
  for (const [path, content] of contents) hash.update(`${path}\0${content.length}\0`).update(content)
  const prefix = `page/${hash.digest('hex').slice(0, HASH_DIGITS)}/`
  const parts = new Map<string, PageFile>()
  let document: PageFile | undefined
  for (const [path, content] of contents) {
    if (path === DOCUMENT) {
      const text = content.toString('utf8').replaceAll(VERSION_MARK, prefix)
      document = new PageFile(path, Buffer.from(withPreloads(text, prefix, paths)))
    } else parts.set(`/${prefix}${path}`, new PageFile(path, content))
  }
  if (document === undefined) throw new Error(`${base} holds no ${DOCUMENT}`)
  return { document, parts }
}

/** Lets the browser ask for all modules at once in place of one import after the other. */
function withPreloads(text: string, prefix: string, paths: readonly string[]): string {
  const links = paths
    .filter((path) => path.endsWith('.js') && path.includes(sep))
    .map((path) => `<link rel="modulepreload" href="${prefix}${path.split(sep).join('/')}">`)
  return text.replace('</head>', `${links.join('\n')}\n</head>`)
}
