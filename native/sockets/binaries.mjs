// Which built socket library (uWebSockets.js) runs on this Node and this C library. It is asked at `npm ci`, so that
// a system without one is told in a second, and at every start.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compareGlibc, neededGlibc, neededGlibcWithoutC23Names, withoutC23Names } from './elfVersions.mjs'

/**
 * The packages that have binaries, the better first: what is in them decides, not their versions. That of the platform
 * has them in an installation without a compiler, ready to load.
 */
const PACKAGES = [platformPackage(process), 'uWebSockets.js', 'uws-pack']
const BINARY_FOLDERS = ['.', join('dist', 'bin')]

/** What there is on Linux, for messages and the README; a test compares it with what the packages hold. */
export const SOCKET_LIBRARIES =
  'Node.js 20, 22, 24 and 25 with glibc 2.36 or newer, and Node.js 22 with glibc 2.27 or newer'

/** No binary of the socket library runs here. */
export class SocketLibraryError extends Error {
  name = 'SocketLibraryError'
  /** `Unsupported`: there is none for this system; `Unwritable`: the copy that it takes cannot be written. */
  code

  constructor(code, message, options) {
    super(message, options)
    this.code = code
  }
}

/** Where changed copies are kept: with what is built. */
export const BUILT_FOLDER = join(dirname(dirname(fileURLToPath(import.meta.url))), 'addon')

/** Linux without glibc has no such binaries, hence no name for it. */
function platformPackage({ platform, arch }) {
  return `rhizome-${platform}-${arch}${platform === 'linux' ? '-gnu' : ''}`
}

/** What decides which binary runs, read from this process. */
export function readHost() {
  const { platform, arch, version, versions } = process
  const glibc = platform === 'linux' ? (process.report.getReport().header.glibcVersionRuntime ?? null) : null
  return { platform, arch, node: version.slice(1), abi: versions.modules, glibc }
}

/** The installed packages, the better first; an optional one is missing where its own `engines` leave it out. */
export function installedPackages() {
  const modules = createRequire(import.meta.url).resolve.paths(PACKAGES[0]) ?? []
  return PACKAGES.flatMap((name) => {
    const root = modules
      .map((folder) => join(folder, name))
      .find((at) => existsSync(join(at, 'package.json')))
    if (root === undefined) return []
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    return [{ name, version, folders: BINARY_FOLDERS.map((folder) => join(root, folder)) }]
  })
}

/**
 * The first binary that runs on a host.
 * @param host such as {@link readHost} reads
 * @param packages such as {@link installedPackages} finds
 * @throws SocketLibraryError, whose message says in one sentence what there is
 */
export function chooseBinary(host, packages) {
  const fileName = `uws_${host.platform}_${host.arch}_${host.abi}.node`
  for (const { name, version, folders } of packages) {
    const file = folders.map((folder) => join(folder, fileName)).find((path) => existsSync(path))
    if (file === undefined) continue
    const chosen = { name, version, file }
    if (host.platform !== 'linux') return { ...chosen, withoutC23Names: false }
    if (host.glibc === null) continue
    const bytes = readFileSync(file)
    if (isEnough(host.glibc, neededGlibc(bytes))) return { ...chosen, withoutC23Names: false }
    if (isEnough(host.glibc, neededGlibcWithoutC23Names(bytes))) return { ...chosen, withoutC23Names: true }
  }
  throw new SocketLibraryError('Unsupported', describeLack(host))
}

/**
 * The path to load a chosen binary from; a copy without C23 names is written first where there is none yet.
 * @param built folder of such copies
 * @throws SocketLibraryError
 */
export function prepareBinary({ name, version, file, withoutC23Names: isChanged }, built = BUILT_FOLDER) {
  if (!isChanged) return file
  const abi = /_(\w+)\.node$/.exec(file)?.[1]
  const copy = join(built, `${name}-${version}_${abi}.node`)
  if (existsSync(copy)) return copy
  const partial = `${copy}.${process.pid}`
  try {
    mkdirSync(built, { recursive: true })
    writeFileSync(partial, withoutC23Names(readFileSync(file)))
    renameSync(partial, copy)
  } catch (cause) {
    const message = `the socket library for this glibc cannot be written to ${copy}: run npm rebuild as the owner of the installation`
    throw new SocketLibraryError('Unwritable', message, { cause })
  }
  return copy
}

function isEnough(has, needs) {
  return needs === null || compareGlibc(has, needs) >= 0
}

function describeLack({ platform, arch, node, glibc }) {
  const libc = platform === 'linux' ? `, ${glibc === null ? 'without glibc' : `glibc ${glibc}`}` : ''
  return `Rhizome does not run on Node.js ${node} on ${platform} ${arch}${libc}: its socket library is built for ${SOCKET_LIBRARIES}.`
}
