/** @import { Log } from '../types.js' */
/** @import { AbiItem, Artifact, Decoded, Deployment } from './abi.js' */
import { hashOfCode, itemsOf } from './artifact.js'
import { decodeValues } from './decode.js'
import { AbiError, isDynamic } from './types.js'

const ITEM = 'abis'
/** Bytes of everything that is kept: browsers give a page 5 MiB, of which its other items need little. */
export const MAX_KEPT_BYTES = 1024 * 1024
const MAX_DEPLOYMENTS = 100

/**
 * The ABIs that somebody gave to the page, which stay in the storage of the browser and are sent nowhere, and those of
 * the project that the node knows, which last as long as the page.
 */
export class Contracts {
  /** Those that are kept. @type {readonly Artifact[]} */
  #kept = []
  /** @type {readonly Artifact[]} */
  #ofProject = []
  /** Both by name; one that is kept stands in for that of the project. @type {readonly Artifact[]} */
  #list = []
  /** What the ABIs name, by selector or topic; made when it is first asked for. @type {Map<string, Known[]> | null} */
  #known = null
  /** Whether the browser keeps what is given. */
  isKept = true

  constructor() {
    this.#load()
    // Another tab of the page changed it.
    addEventListener('storage', ({ key }) => {
      if (key === ITEM || key === null) this.#load()
    })
  }

  /** All of them by name. @returns {readonly Artifact[]} */
  get list() {
    return this.#list
  }

  /** Takes the artifacts of the project in place of those before. @param {readonly Artifact[]} artifacts */
  setProject(artifacts) {
    this.#ofProject = artifacts
    this.#join()
  }

  /** Whether an artifact is the project's, and not kept. @param {Artifact} artifact */
  isOfProject(artifact) {
    return !this.#kept.includes(artifact)
  }

  /**
   * Takes an artifact in place of the one of the same name.
   * @param {Artifact} artifact
   * @throws {AbiError} when there is no space for it
   */
  add(artifact) {
    const before = this.find(artifact.name)
    const deployments = [...(before?.deployments ?? []), ...artifact.deployments]
    this.#replace(artifact.name, { ...artifact, deployments: newestOfEach(deployments) })
  }

  /** @param {string} name */
  find(name) {
    return this.#list.find((one) => one.name === name) ?? null
  }

  /** Forgets an artifact. @param {string} name */
  remove(name) {
    this.#replace(name, null)
  }

  /**
   * Says of which artifact a contract is; null for none.
   * @param {string} address in lower case
   * @param {string | null} name
   * @param {string} code 0x-hex: a chain for development may get another contract at the same address
   * @throws {AbiError} when there is no space for it
   */
  attach(address, name, code) {
    const deployment = { address, codeHash: hashOfCode(code) }
    const chosen = this.find(name ?? '')
    // What somebody said of the project's is kept with it.
    const kept = chosen === null || !this.isOfProject(chosen) ? this.#kept : [...this.#kept, chosen]
    const list = kept.map((one) => {
      const others = one.deployments.filter((known) => known.address !== address)
      return { ...one, deployments: one.name === name ? newestOfEach([...others, deployment]) : others }
    })
    this.#keep(list)
  }

  /**
   * The artifact of a contract: as somebody said, or by its code; null when none is known.
   * @param {string} address
   * @param {string} [code] of the contract, 0x-hex
   */
  of(address, code) {
    const lower = address.toLowerCase()
    if (this.#list.length === 0) return null
    const hash = code === undefined ? null : hashOfCode(code)
    const isOf = (/** @type {Deployment} */ { address, codeHash }) =>
      address === lower && (hash === null || codeHash === null || codeHash === hash)
    const said = this.#list.find(({ deployments }) => deployments.some(isOf))
    if (said !== undefined || hash === null) return said ?? null
    return this.#list.find(({ codeHash }) => codeHash === hash) ?? null
  }

  /**
   * What an artifact names.
   * @param {Artifact} artifact
   * @returns {readonly AbiItem[]}
   */
  itemsOf(artifact) {
    return [...this.#all().values()].flat().flatMap(({ item, by }) => (by === artifact.name ? [item] : []))
  }

  /**
   * A call in words; null when no ABI has its function.
   * @param {string} input 0x-hex
   * @param {string | null} address of the contract that is called
   * @returns {Decoded | null}
   */
  call(input, address) {
    return this.#decodeWith('function', input, address)
  }

  /**
   * What a reverted call returned in words; null when no ABI has its error.
   * @param {string} data 0x-hex
   * @param {string | null} [address] of the contract that was called
   * @returns {Decoded | null}
   */
  error(data, address = null) {
    return this.#decodeWith('error', data, address)
  }

  /**
   * A log in words; null when no ABI has its event.
   * @param {Log} log
   * @returns {Decoded | null}
   */
  event({ address, topics, data }) {
    const [topic = '', ...indexed] = topics
    for (const { item, by } of this.#candidates('event', topic, address)) {
      const values = eventValues(item, indexed, data)
      if (values !== null) return { item, by, values }
    }
    return null
  }

  /**
   * The name of a function that a call names by its selector; null when no ABI has it.
   * @param {string} selector
   * @param {string | null} address
   */
  functionOf(selector, address) {
    return this.#candidates('function', selector, address)[0]?.item ?? null
  }

  /**
   * @param {AbiItem['kind']} kind
   * @param {string} data
   * @param {string | null} address
   * @returns {Decoded | null}
   */
  #decodeWith(kind, data, address) {
    if (data.length < 10) return null
    for (const { item, by } of this.#candidates(kind, data.slice(0, 10), address)) {
      const values = decodeValues(
        item.inputs.map(({ type }) => type),
        `0x${data.slice(10)}`,
      )
      if (values !== null) return { item, by, values }
    }
    return null
  }

  /**
   * What has a selector or topic, that of the contract itself first.
   * @param {AbiItem['kind']} kind
   * @param {string} id
   * @param {string | null} address
   */
  #candidates(kind, id, address) {
    const found = (this.#all().get(id) ?? []).filter(({ item }) => item.kind === kind)
    const own = address === null ? null : this.of(address)
    return own === null
      ? found
      : found.toSorted((a, b) => Number(b.by === own.name) - Number(a.by === own.name))
  }

  #all() {
    if (this.#known !== null) return this.#known
    /** @type {Map<string, Known[]>} */
    const known = new Map()
    for (const { name, abi } of this.#list) {
      for (const item of readableItems(abi)) {
        known.set(item.id, [...(known.get(item.id) ?? []), { item, by: name }])
      }
    }
    this.#known = known
    return known
  }

  /**
   * @param {string} name
   * @param {Artifact | null} artifact
   */
  #replace(name, artifact) {
    const others = this.#kept.filter((one) => one.name !== name)
    this.#keep(artifact === null ? others : [...others, artifact])
  }

  /** @param {readonly Artifact[]} list */
  #keep(list) {
    const sorted = list.toSorted((a, b) => a.name.localeCompare(b.name))
    const text = JSON.stringify(sorted)
    if (new TextEncoder().encode(text).length > MAX_KEPT_BYTES) {
      throw new AbiError(`The page keeps ${MAX_KEPT_BYTES / 1024} KiB of ABIs. Remove some first.`)
    }
    try {
      localStorage.setItem(ITEM, text)
    } catch {
      // Without storage they last as long as the page.
      this.isKept = false
    }
    this.#kept = sorted
    this.#join()
  }

  #join() {
    const names = new Set(this.#kept.map(({ name }) => name))
    const others = this.#ofProject.filter(({ name }) => !names.has(name))
    this.#list = [...this.#kept, ...others].toSorted((a, b) => a.name.localeCompare(b.name))
    this.#known = null
  }

  #load() {
    try {
      /** @type {Artifact[]} */
      const list = JSON.parse(localStorage.getItem(ITEM) ?? '[]')
      this.#kept = list.filter(
        ({ name, abi, deployments }) =>
          typeof name === 'string' && Array.isArray(abi) && Array.isArray(deployments),
      )
    } catch {
      // Storage is closed, or has what an earlier page wrote.
      this.#kept = []
    }
    this.#join()
  }
}

/**
 * One deployment of each address, the newest at the end.
 * @param {readonly Deployment[]} deployments
 */
function newestOfEach(deployments) {
  const byAddress = new Map(deployments.map((one) => [one.address, one]))
  return [...byAddress.values()].slice(-MAX_DEPLOYMENTS)
}

/** What an ABI names; nothing where an earlier page kept what this one cannot read. @param {readonly object[]} abi */
function readableItems(abi) {
  try {
    return itemsOf(abi)
  } catch {
    return []
  }
}

/** @typedef {{ readonly item: AbiItem, readonly by: string }} Known */

/**
 * @param {AbiItem} item
 * @param {readonly string[]} topics behind the first
 * @param {string} data
 * @returns {Decoded['values'] | null}
 */
function eventValues({ inputs, isAnonymous }, topics, data) {
  const indexed = inputs.filter(({ isIndexed }) => isIndexed)
  if (isAnonymous || indexed.length !== topics.length) return null
  const plain = decodeValues(
    inputs.filter(({ isIndexed }) => !isIndexed).map(({ type }) => type),
    data,
  )
  if (plain === null) return null
  const [fromTopics, fromData] = [topics.values(), plain.values()]
  /** @type {(Decoded['values'][number])[]} */
  const values = []
  for (const { type, isIndexed } of inputs) {
    if (!isIndexed) {
      values.push(fromData.next().value ?? null)
      continue
    }
    const topic = fromTopics.next().value ?? '0x'
    // Of what does not fit into a topic there is a hash in its place.
    const isHash = isDynamic(type) || type.kind === 'array' || type.kind === 'tuple'
    const decoded = isHash ? [null] : decodeValues([type], topic)
    if (decoded === null) return null
    values.push(decoded[0] ?? null)
  }
  return values
}
