import { keccak_256 } from '@noble/hashes/sha3'
import { readArtefact } from '../contracts/artefact.ts'
import type { NodeProcess } from '../support/nodeProcess.ts'

/** Markup that would run if it were read as such, with a mark that turns the direction of writing. */
export const HOSTILE = '<img src=x onerror=alert(1)>\u202e'

export const SENDER = '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'
export const RECEIVER = '0x7986b3df570230288501eea3d890bd66948c9b79'
const GAS = '0x1e8480'
const GAS_PRICE = '0x3938700'
/** Bytes of code in front of the data beside what logs: copying, RETURN. */
const RUNTIME_BYTES = 15
/** Bytes of code in front of that code: copying, RETURN. */
const CREATION_BYTES = 15
const TOKEN_UNITS = 1_000_000n * 10n ** 18n

/** What the pages of a test show. */
export interface Sample {
  readonly token: string
  /** A contract whose name as a token is {@link HOSTILE}, and that logs it. */
  readonly hostile: string
  readonly transfer: string
  /** A transaction that reverted with {@link HOSTILE} as its reason. */
  readonly failed: string
  /** A transaction whose call catches the failure of a call of its own. */
  readonly nested: string
  /** A payment of 123.456789012345678901 RBTC. */
  readonly payment: string
  /** A transaction of the hostile contract that logs its name. */
  readonly logged: string
  /** A token whose symbol is {@link HOSTILE}, and that the receiver got some of. */
  readonly hostileToken: string
  /** The contract whose calls fail. */
  readonly failures: string
  /** A transaction that lets the receiver spend 2^256 - 1 of the token. */
  readonly approval: string
}

/** Makes blocks with a token, transfers, failures and whatever strangers may write. */
export async function makeSample(node: NodeProcess): Promise<Sample> {
  const token = await create(node, `${readArtefact('Token').bytecode}${word(TOKEN_UNITS)}`)
  const failures = await create(node, readArtefact('Failures').bytecode)
  const hostile = await create(node, sayingContract(`0x${encoded(HOSTILE)}`, LOGS_ALL))
  const hostileToken = await create(node, sayingContract(`0x${encoded(HOSTILE)}`, LOGS_TRANSFER))
  await send(node, { to: hostileToken, data: '0x' })
  return {
    token,
    hostile,
    hostileToken,
    failures,
    approval: await send(node, {
      to: token,
      data: `${selector('approve(address,uint256)')}${word(BigInt(RECEIVER))}${word(2n ** 256n - 1n)}`,
    }),
    transfer: await send(node, {
      to: token,
      data: `${selector('transfer(address,uint256)')}${word(BigInt(RECEIVER))}${word(5n * 10n ** 18n)}`,
    }),
    failed: await send(node, { to: failures, data: `${selector('withReason(string)')}${encoded(HOSTILE)}` }),
    nested: await send(node, { to: failures, data: selector('caught()') }),
    payment: await send(node, { to: RECEIVER, value: `0x${123_456_789_012_345_678_901n.toString(16)}` }),
    logged: await send(node, { to: hostile, data: '0x' }),
  }
}

/** Sends a transaction from a funded account; its hash. */
export function send(node: NodeProcess, transaction: object): Promise<string> {
  return node.request('eth_sendTransaction', [
    { from: SENDER, gas: GAS, gasPrice: GAS_PRICE, ...transaction },
  ])
}

/** The data of a call without parameters, or the start of one. */
export function selector(signature: string): string {
  return `0x${Buffer.from(keccak_256(signature)).toString('hex').slice(0, 8)}`
}

/** Creates a contract; its address. */
export async function create(node: NodeProcess, data: string): Promise<string> {
  const hash = await send(node, { data })
  const { contractAddress } = await node.request<{ contractAddress: string }>('eth_getTransactionReceipt', [
    hash,
  ])
  return contractAddress
}

/** Code that logs all of the memory of a saying contract: LOG0 of its size. */
const LOGS_ALL = (size: string) => `${size}6000a0`

/** Code that logs a transfer of tokens from nobody to the receiver; its amount is the first word of what is said. */
const LOGS_TRANSFER = () =>
  `7f${word(BigInt(RECEIVER))}7f${word(0n)}7f${Buffer.from(keccak_256('Transfer(address,address,uint256)')).toString('hex')}60206000a3`

/** Creation code of a contract that answers every call with some data, and logs. */
function sayingContract(said: string, logging: (size: string) => string): string {
  const data = said.slice(2)
  const size = push2(data.length / 2)
  const logs = logging(size)
  const runtime = `${copyFrom(RUNTIME_BYTES + logs.length / 2, size)}${logs}${size}6000f3${data}`
  const runtimeSize = push2(runtime.length / 2)
  return `0x${copyFrom(CREATION_BYTES, runtimeSize)}${runtimeSize}6000f3${runtime}`
}

/** Copies what stands at a place of the code to the start of memory: CODECOPY. */
function copyFrom(place: number, size: string): string {
  return `${size}${push2(place)}600039`
}

function push2(value: number): string {
  return `61${value.toString(16).padStart(4, '0')}`
}

/** The parameter of a call that takes one text. */
export function encoded(text: string): string {
  const bytes = Buffer.from(text)
  const padded = bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0')
  return `${word(32n)}${word(BigInt(bytes.length))}${padded}`
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}
