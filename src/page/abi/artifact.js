/** @import { AbiItem, AbiParam, Artifact, Deployment } from './abi.js' */
import { keccak256 } from '../chain/keccak.js'
import { bytesOfHex } from '../chain/text.js'
import { AbiError, typeOf, typeText } from './types.js'

/** Characters of a file: artifacts have bytecode and source positions beside the ABI. */
export const MAX_FILE_CHARACTERS = 8 * 1024 * 1024

const MAX_ITEMS = 1000
const MAX_PARAMS = 64
const MAX_NAME_CHARACTERS = 128
const MAX_DEPTH = 8
const CODE = /^0x([0-9a-fA-F]{2})+$/
const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const MUTABILITIES = new Set(['pure', 'view', 'nonpayable', 'payable'])

/**
 * Reads an artifact of Hardhat, Foundry or Truffle, or an ABI alone.
 * @param {string} text JSON
 * @param {{ name: string, chainId: number }} options its name where the file has none, such as that of the file
 * @returns {Artifact}
 * @throws {AbiError} when it is none
 */
export function readArtifact(text, { name, chainId }) {
  if (text.length > MAX_FILE_CHARACTERS) throw new AbiError('The file is too large for an artifact.')
  const parsed = parsedJson(text)
  const isList = Array.isArray(parsed)
  const list = isList ? parsed : abiOf(parsed)
  if (list === null) throw new AbiError('There is no ABI in it.')
  const abi = keptAbi(list)
  if (itemsOf(abi).length === 0) throw new AbiError('The ABI names no function, event or error.')
  const named = isList ? undefined : (parsed.contractName ?? parsed.contract)
  return {
    name: (typeof named === 'string' && named.trim() !== '' ? named : name)
      .trim()
      .slice(0, MAX_NAME_CHARACTERS),
    abi,
    codeHash: isList ? null : codeHashOf(parsed),
    deployments: isList ? [] : deploymentsOf(parsed, chainId),
  }
}

/**
 * The functions, events and errors of an ABI that was read, with their selectors and topics.
 * @param {readonly unknown[]} abi
 * @returns {AbiItem[]}
 * @throws {AbiError} for types that there are not
 */
export function itemsOf(abi) {
  return abi.flatMap((/** @type {any} */ entry) => {
    const kind = entry?.type ?? 'function'
    if (!['function', 'event', 'error'].includes(kind) || typeof entry?.name !== 'string') return []
    const inputs = paramsOf(entry.inputs)
    const signature = `${entry.name}(${inputs.map(({ type }) => typeText(type)).join(',')})`
    const hash = `0x${keccak256(new TextEncoder().encode(signature))}`
    return [
      {
        kind,
        name: entry.name,
        inputs,
        outputs: paramsOf(entry.outputs),
        mutability: entry.stateMutability ?? 'nonpayable',
        isAnonymous: entry.anonymous === true,
        signature,
        id: kind === 'event' ? hash : hash.slice(0, 10),
      },
    ]
  })
}

/** @param {any} params */
function paramsOf(params) {
  return (Array.isArray(params) ? params : []).map(
    (/** @type {AbiParam & { indexed?: boolean }} */ param) => ({
      name: param.name,
      type: typeOf(param),
      isIndexed: param.indexed === true,
    }),
  )
}

/** What the page needs of an ABI: no more is kept. @param {readonly any[]} list */
function keptAbi(list) {
  if (list.length > MAX_ITEMS) throw new AbiError('The ABI has too many entries.')
  return list.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null) throw new AbiError('An entry of the ABI cannot be read.')
    const kind = entry.type ?? 'function'
    if (!['function', 'event', 'error'].includes(kind)) return []
    if (typeof entry.name !== 'string' || entry.name === '' || entry.name.length > MAX_NAME_CHARACTERS) {
      throw new AbiError('An entry of the ABI has no name, or a very long one.')
    }
    return [
      {
        type: kind,
        name: entry.name,
        inputs: keptParams(entry.inputs, 0),
        ...(kind === 'function' && {
          outputs: keptParams(entry.outputs, 0),
          stateMutability: mutabilityOf(entry),
        }),
        ...(entry.anonymous === true && { anonymous: true }),
      },
    ]
  })
}

/** @param {any} entry */
function mutabilityOf({ stateMutability, constant, payable }) {
  if (MUTABILITIES.has(stateMutability)) return stateMutability
  // How old compilers told it.
  if (constant === true) return 'view'
  return payable === true ? 'payable' : 'nonpayable'
}

/**
 * @param {any} params
 * @param {number} depth
 * @returns {(AbiParam & { indexed?: boolean })[]}
 */
function keptParams(params, depth) {
  if (params === undefined) return []
  if (!Array.isArray(params) || params.length > MAX_PARAMS || depth > MAX_DEPTH) {
    throw new AbiError('The parameters of an entry of the ABI cannot be read.')
  }
  return params.map((param) => {
    const { name, type, components, indexed } = param ?? {}
    if (typeof type !== 'string') throw new AbiError('A parameter of the ABI has no type.')
    return {
      name: typeof name === 'string' ? name.slice(0, MAX_NAME_CHARACTERS) : '',
      type: type.slice(0, MAX_NAME_CHARACTERS),
      ...(components !== undefined && { components: keptParams(components, depth + 1) }),
      ...(indexed === true && { indexed }),
    }
  })
}

/** @param {string} text */
function parsedJson(text) {
  try {
    const parsed = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null) return parsed
  } catch {
    // Said below.
  }
  throw new AbiError('This is no JSON.')
}

/** @param {any} artifact */
function abiOf({ abi }) {
  const list = typeof abi === 'string' ? parsedJson(abi) : abi
  return Array.isArray(list) ? list : null
}

/**
 * The hash of the code that the contract has when it is deployed; null where the artifact has none, or not all of it.
 * @param {any} artifact
 */
function codeHashOf({ deployedBytecode }) {
  const code = typeof deployedBytecode === 'object' ? deployedBytecode?.object : deployedBytecode
  return typeof code === 'string' && CODE.test(code) ? hashOfCode(code) : null
}

/** The hash by which a contract is recognised. @param {string} code 0x-hex */
export function hashOfCode(code) {
  return keccak256(bytesOfHex(code))
}

/**
 * Where Truffle says that it deployed the contract.
 * @param {any} artifact
 * @param {number} chainId
 * @returns {Deployment[]}
 */
function deploymentsOf({ networks }, chainId) {
  const id = String(chainId)
  const address =
    typeof networks === 'object' && Object.hasOwn(networks ?? {}, id) ? networks[id]?.address : null
  return typeof address === 'string' && ADDRESS.test(address)
    ? [{ address: address.toLowerCase(), codeHash: null }]
    : []
}
