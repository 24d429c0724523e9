// What a shared object in ELF asks of glibc, and how one that asks for more than it uses is made to ask for less.
// Sources: System V ABI, "Dynamic Linking"; Linux Standard Base, "Symbol Versioning".

const SECTION_DYNAMIC_SYMBOLS = 11
const SECTION_VERSION_NEEDS = 0x6ffffffe
const SECTION_SYMBOL_VERSIONS = 0x6fffffff
const SYMBOL_BYTES = 24
/** The loader does not mind that the library lacks a version with this flag. */
const VERSION_WEAK = 2
const LIBC = 'libc.so.6'

/**
 * From glibc 2.38 on, headers give `strtol`, `sscanf` and their like the names of their C23 forms, which also read
 * `0b` prefixes. Without the prefix these are the names that every glibc has, with the same parameters.
 */
const C23_PREFIX = '__isoc23_'

/**
 * The version of glibc that a shared object asks for, such as `2.38`; null when it is no 64-bit little-endian ELF
 * with symbol versions, that is, when its file does not say.
 */
export function neededGlibc(bytes) {
  const elf = readVersions(bytes)
  return elf === null ? null : highest([...elf.versions.values()])
}

/**
 * The version of glibc that {@link withoutC23Names} asks for: the highest that is not there for C23 names alone.
 * null like {@link neededGlibc}.
 */
export function neededGlibcWithoutC23Names(bytes) {
  const elf = readVersions(bytes)
  if (elf === null) return null
  const dropped = c23Versions(elf)
  return highest([...elf.versions.values()].filter(({ index }) => !dropped.has(index)))
}

/** A copy of a shared object that calls the C23 forms of functions by the names that every glibc has. */
export function withoutC23Names(bytes) {
  const copy = Buffer.from(bytes)
  const elf = readVersions(copy)
  if (elf === null) return copy
  const dropped = c23Versions(elf)
  const base = [...elf.versions.values()]
    .filter(({ library, glibc }) => library === LIBC && glibc !== null)
    .sort((a, b) => compareGlibc(a.glibc, b.glibc))[0]
  for (const symbol of elf.symbols) {
    if (!dropped.has(symbol.version)) continue
    copy.writeUInt32LE(copy.readUInt32LE(symbol.at) + C23_PREFIX.length, symbol.at)
    copy.writeUInt16LE(base.index, symbol.versionAt)
  }
  for (const index of dropped) copy.writeUInt16LE(VERSION_WEAK, elf.versions.get(index).at + 4)
  return copy
}

/** Negative, zero or positive as the first version of glibc is older than the second, the same, or newer. */
export function compareGlibc(first, second) {
  const [a, b] = [first, second].map((version) => version.split('.').map(Number))
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Indices of the versions of glibc that only C23 names come from. */
function c23Versions({ versions, symbols, nameAt }) {
  const found = new Set()
  for (const { index, glibc, library } of versions.values()) {
    const names = symbols.filter(({ version }) => version === index).map(({ name }) => nameAt(name))
    const isC23 = names.length > 0 && names.every((name) => name.startsWith(C23_PREFIX))
    if (library === LIBC && glibc !== null && isC23) found.add(index)
  }
  return found
}

function highest(versions) {
  const named = versions.flatMap(({ glibc, isWeak }) => (glibc === null || isWeak ? [] : [glibc]))
  return named.sort(compareGlibc).at(-1) ?? null
}

function readVersions(bytes) {
  const isElf64 =
    bytes.length > 64 && bytes.readUInt32BE(0) === 0x7f454c46 && bytes[4] === 2 && bytes[5] === 1
  if (!isElf64) return null
  const sections = readSections(bytes)
  const symbolTable = sections.find(({ type }) => type === SECTION_DYNAMIC_SYMBOLS)
  const needs = sections.find(({ type }) => type === SECTION_VERSION_NEEDS)
  const ofSymbols = sections.find(({ type }) => type === SECTION_SYMBOL_VERSIONS)
  if (symbolTable === undefined || needs === undefined || ofSymbols === undefined) return null
  const names = sections[symbolTable.link].offset
  const nameAt = (offset) => bytes.toString('latin1', names + offset, bytes.indexOf(0, names + offset))
  return {
    versions: readNeeds(bytes, needs.offset, nameAt),
    /** There are thousands, and mostly nobody asks. */
    get symbols() {
      return readSymbols(bytes, symbolTable, ofSymbols.offset)
    },
    nameAt,
  }
}

function readSections(bytes) {
  const start = Number(bytes.readBigUInt64LE(40))
  const [size, count] = [bytes.readUInt16LE(58), bytes.readUInt16LE(60)]
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * size
    return {
      type: bytes.readUInt32LE(at + 4),
      offset: Number(bytes.readBigUInt64LE(at + 24)),
      size: Number(bytes.readBigUInt64LE(at + 32)),
      link: bytes.readUInt32LE(at + 40),
    }
  })
}

/** Versions by the index that symbols name them with. */
function readNeeds(bytes, offset, nameAt) {
  const versions = new Map()
  for (let at = offset; ; at += bytes.readUInt32LE(at + 12)) {
    const library = nameAt(bytes.readUInt32LE(at + 4))
    let version = at + bytes.readUInt32LE(at + 8)
    for (let left = bytes.readUInt16LE(at + 2); left > 0; left--) {
      const index = bytes.readUInt16LE(version + 6)
      const [, glibc = null] = /^GLIBC_([\d.]+)$/.exec(nameAt(bytes.readUInt32LE(version + 8))) ?? []
      const isWeak = (bytes.readUInt16LE(version + 4) & VERSION_WEAK) !== 0
      versions.set(index, { index, library, glibc, isWeak, at: version })
      version += bytes.readUInt32LE(version + 12)
    }
    if (bytes.readUInt32LE(at + 12) === 0) return versions
  }
}

/** Symbols with the position of their name among the names. */
function readSymbols(bytes, { offset, size }, versionsAt) {
  return Array.from({ length: size / SYMBOL_BYTES }, (_, index) => {
    const at = offset + index * SYMBOL_BYTES
    const versionAt = versionsAt + index * 2
    return {
      at,
      versionAt,
      name: bytes.readUInt32LE(at),
      version: bytes.readUInt16LE(versionAt) & 0x7fff,
    }
  })
}
