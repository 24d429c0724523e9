import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ethers as ethers6 } from 'ethers'
import { ethers as ethers5 } from 'ethers5'
import t, { type Test } from 'tap'
import {
  type Abi,
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { readArtefact } from '../contracts/artefact.ts'
import { COW_ADDRESS, COW_KEY, REGTEST_CHAIN_ID } from '../support/accounts.ts'
import { askNode, startNode } from '../support/nodeProcess.ts'

const { abi, bytecode } = readArtefact('Failures')
const ABI = abi as Abi

/** What a client found out about a revert: the reason, the code of a panic, or name and arguments of an error. */
type Decoded =
  | string
  | { readonly panic: number }
  | { readonly error: string; readonly args: readonly string[] }

/** Calls that revert, and what they say; null where there is nothing to decode. */
const CALLS: readonly (readonly [method: string, args: readonly unknown[], decoded: Decoded | null])[] = [
  ['withReason', ['not today'], 'not today'],
  ['withReason', ['ümlaut: 1'], 'ümlaut: 1'],
  ['overflow', [1n], { panic: 0x11 }],
  ['divide', [1n, 0n], { panic: 0x12 }],
  ['assertion', [false], { panic: 1 }],
  ['withError', [7n, 'why'], { error: 'Refused', args: [COW_ADDRESS, '7', 'why'] }],
  ['withBareError', [], { error: 'Bare', args: [] }],
  ['withoutData', [], null],
]

const NO_REVERT = new Error('did not revert')
const text = (value: unknown) => String(value).toLowerCase()

/** Asks for one call and says what it found out; throws what is no decoded revert. */
type Client = (method: string, args: readonly unknown[], kind: 'call' | 'estimate') => Promise<Decoded | null>

function viemClient(url: string, address: Hex): Client {
  const transport = http(url)
  const client = createPublicClient({ transport })
  return async (functionName, args, kind) => {
    const call = { address, abi: ABI, functionName, args, account: COW_ADDRESS as Hex }
    try {
      if (kind === 'call') await client.readContract(call)
      else await client.estimateContractGas(call)
    } catch (error) {
      const reverted =
        error instanceof BaseError && error.walk((cause) => cause instanceof ContractFunctionRevertedError)
      if (!(reverted instanceof ContractFunctionRevertedError)) throw error
      const { data, reason } = reverted
      if (data === undefined) return reason === undefined || reason === 'execution reverted' ? null : reason
      if (data.errorName === 'Error') return String(data.args?.[0])
      if (data.errorName === 'Panic') return { panic: Number(data.args?.[0]) }
      return { error: data.errorName, args: (data.args ?? []).map(text) }
    }
    throw NO_REVERT
  }
}

function ethers6Client(t: Test, url: string, address: Hex): Client {
  const network = new ethers6.Network('regtest', REGTEST_CHAIN_ID)
  const provider = new ethers6.JsonRpcProvider(url, network, { staticNetwork: network })
  t.teardown(() => provider.destroy())
  const contract = new ethers6.Contract(address, abi as ethers6.InterfaceAbi, provider)
  return async (method, args, kind) => {
    try {
      const named = contract.getFunction(method)
      const options = { from: COW_ADDRESS }
      await (kind === 'call' ? named.staticCall(...args, options) : named.estimateGas(...args, options))
    } catch (error) {
      if (!ethers6.isCallException(error)) throw error
      const { revert, data } = error
      const found = revert ?? (data === null || data === '0x' ? null : contract.interface.parseError(data))
      if (found === null) return null
      if (found.name === 'Error') return String(found.args[0])
      if (found.name === 'Panic') return { panic: Number(found.args[0]) }
      return { error: found.name, args: [...found.args].map(text) }
    }
    throw NO_REVERT
  }
}

/** What ethers 5 throws: decoded for calls; for estimates the reason is in the message. */
interface Ethers5Error {
  readonly code: string
  readonly reason: string | null
  readonly errorName?: string
  readonly errorArgs?: readonly unknown[]
}

function ethers5Client(url: string, address: Hex): Client {
  const network = { name: 'regtest', chainId: REGTEST_CHAIN_ID }
  const provider = new ethers5.providers.StaticJsonRpcProvider({ url, skipFetchSetup: true }, network)
  const contract = new ethers5.Contract(address, JSON.stringify(abi), provider)
  return async (method, args, kind) => {
    const ask = kind === 'call' ? contract.callStatic[method] : contract.estimateGas[method]
    try {
      await ask?.(...args, { from: COW_ADDRESS })
    } catch (thrown) {
      const { code, reason, errorName, errorArgs } = thrown as Ethers5Error
      if (code !== 'CALL_EXCEPTION' && code !== 'UNPREDICTABLE_GAS_LIMIT') throw thrown
      if (errorName === 'Error') return String(errorArgs?.[0])
      if (errorName === 'Panic') return { panic: Number(errorArgs?.[0]) }
      if (errorName !== undefined && errorName !== null)
        return { error: errorName, args: (errorArgs ?? []).map(text) }
      return reason?.match(/^execution reverted: (.*)$/)?.[1] ?? null
    }
    throw NO_REVERT
  }
}

t.test('clients decode reverts of a development node as it comes', async (t) => {
  const dataDir = t.testdir()
  const secret = 'a secret of this test'
  const keysFile = join(dataDir, 'keys.json')
  const hash = createHash('sha256').update(secret).digest('hex')
  writeFileSync(keysFile, JSON.stringify([{ id: 'own', hash, revertErrors: 'reference' }]))
  const node = await startNode({
    dataDir: join(dataDir, 'node'),
    args: ['--keys-file', keysFile, '--require-key', 'never'],
  })
  t.teardown(() => node.stop())
  const reader = createPublicClient({ transport: http(node.url), pollingInterval: 50 })
  const wallet = createWalletClient({ account: privateKeyToAccount(COW_KEY), transport: http(node.url) })
  const made = await wallet.deployContract({ abi: ABI, bytecode, chain: null })
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash: made })
  if (contractAddress === null || contractAddress === undefined) throw new Error('no contract address')
  // Behind block 449 the headers have another form.
  await node.request('hardhat_mine', ['0x1c8'])
  const url = `${node.url}/${encodeURIComponent(secret)}`
  const clients = {
    viem: viemClient(node.url, contractAddress),
    'ethers 6': ethers6Client(t, node.url, contractAddress),
    'ethers 5': ethers5Client(node.url, contractAddress),
  }
  const keyed = ethers5Client(url, contractAddress)
  for (const [name, client] of Object.entries(clients)) {
    await t.test(name, async (t) => {
      for (const [method, args, decoded] of CALLS) {
        // Ethers 5 takes empty data for the result of a call that returns nothing: of geth, Hardhat and anvil, too.
        if (name === 'ethers 5' && decoded === null) await t.rejects(client(method, args, 'call'), NO_REVERT)
        else t.same(await client(method, args, 'call'), decoded, `${method} called`)
        // Of an estimate ethers 5 decodes no data.
        const estimated = name === 'ethers 5' && typeof decoded === 'object' ? null : decoded
        t.same(await client(method, args, 'estimate'), estimated, `${method} estimated`)
      }
    })
  }
  await t.test('callers whose key says so are told as the specification has it', async (t) => {
    const data = encodeFunctionData({ abi: ABI, functionName: 'withReason', args: ['not today'] })
    for (let times = 0; times < 2; times += 1) {
      await t.rejects(askNode(url, 'eth_call', [{ to: contractAddress, data }, 'latest']), {
        code: -32015,
        message: 'VM Exception while processing transaction: revert not today',
        data: /^0x08c379a0/,
      })
      t.equal(await clients['ethers 5']('withReason', ['not today'], 'call'), 'not today')
    }
    t.not(await keyed('withReason', ['not today'], 'estimate'), 'not today', 'why it is no default here')
  })
})
