import { type Authorization, JsonRpcApiProvider, Network, toQuantity, Wallet } from 'ethers'
import t, { type Test } from 'tap'
import { createWalletClient, custom, InsufficientFundsError, type BaseError as ViemError } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { toHex } from '../../../../src/util/bytes.ts'
import { COW_ADDRESS, COW_KEY, REGTEST_CHAIN_ID } from '../../../support/accounts.ts'
import { STRANGER, signedTransaction } from '../../../support/signedTransaction.ts'
import { type DevNode, openDevNode } from '../evm/devNode.ts'

const NETWORK = Network.from(REGTEST_CHAIN_ID)

/** Errors come to ethers as they would over HTTP. */
class LocalProvider extends JsonRpcApiProvider {
  readonly #node: DevNode

  constructor(node: DevNode) {
    super(NETWORK, { staticNetwork: NETWORK, batchMaxCount: 1 })
    this.#node = node
    this._start()
  }

  async _send(payload: Parameters<JsonRpcApiProvider['_send']>[0]): ReturnType<JsonRpcApiProvider['_send']> {
    const payloads = Array.isArray(payload) ? payload : [payload]
    return Promise.all(
      payloads.map(async ({ id, method, params }) => {
        const answer = await this.#node.answer(method, ...(params as readonly unknown[]))
        return answer.error === undefined
          ? { id, result: answer.result as unknown }
          : { id, error: answer.error }
      }),
    )
  }
}

/** A node whose chain is past the height from which blocks commit to their fork, and was rewound there. */
async function openOldNode(t: Test): Promise<DevNode> {
  const node = await openDevNode(t)
  await node.ask('hardhat_mine', 470)
  const id = await node.ask('evm_snapshot')
  await node.ask('hardhat_mine', 3)
  await node.ask('evm_revert', id)
  return node
}

t.test('a transaction with a type is refused with how to send one without', async (t) => {
  const { answer } = await openOldNode(t)
  const cow = new Wallet(COW_KEY)
  const common = { chainId: REGTEST_CHAIN_ID, to: COW_ADDRESS, gasLimit: 21_000, nonce: 0 }
  const fees = { maxFeePerGas: 1, maxPriorityFeePerGas: 1 }
  const authorization = { address: COW_ADDRESS, nonce: 0n, chainId: 33n } as Authorization
  const signed = [
    ['0x1 (EIP-2930)', await cow.signTransaction({ ...common, type: 1, gasPrice: 1 })],
    ['0x2 (EIP-1559)', await cow.signTransaction({ ...common, ...fees, type: 2 })],
    [
      '0x3 (EIP-4844)',
      await cow.signTransaction({
        ...common,
        ...fees,
        type: 3,
        maxFeePerBlobGas: 1,
        blobVersionedHashes: [`0x01${'00'.repeat(31)}`],
      }),
    ],
    [
      '0x4 (EIP-7702)',
      await cow.signTransaction({
        ...common,
        ...fees,
        type: 4,
        authorizationList: [{ ...authorization, signature: cow.signingKey.sign(`0x${'01'.repeat(32)}`) }],
      }),
    ],
  ] as const
  for (const [name, raw] of signed) {
    const { error } = await answer('eth_sendRawTransaction', raw)
    t.equal(error?.code, -32602)
    t.ok(error?.message.startsWith(`transaction type not valid: ${name}; this network takes legacy`), name)
    t.match(error?.message, /--legacy/)
    t.match(error?.message, /type: 'legacy'/)
  }
  for (const other of ['0x01', '0x0fc0', '0x7fc0']) {
    const { error } = await answer('eth_sendRawTransaction', other)
    t.match(error?.message, /^Invalid input/, other)
  }
})

t.test('eth_sendTransaction takes maxFeePerGas as the gas price', async (t) => {
  const { ask, answer } = await openOldNode(t)
  const call = { from: COW_ADDRESS, to: COW_ADDRESS, maxFeePerGas: '0x7', maxPriorityFeePerGas: '0x1' }
  const priceOf = async (hash: string) => (await ask('eth_getTransactionByHash', hash)).gasPrice
  t.equal(await priceOf(await ask('eth_sendTransaction', { ...call, type: '0x2' })), '0x7')
  t.equal(await priceOf(await ask('eth_sendTransaction', { ...call, gasPrice: '0x9' })), '0x9')
  t.equal((await ask('eth_signTransaction', call)).tx.gasPrice, '0x7')
  t.match(await answer('eth_sendTransaction', { ...call, maxFeePerGas: 'zz' }), { error: { code: -32602 } })
})

t.test('methods of fee markets are unknown, and say how to send without', async (t) => {
  for (const config of [{}, { modules: ['net'] }, { profile: 'hosted' as const }]) {
    const { answer } = await openDevNode(t, config)
    for (const method of ['eth_feeHistory', 'eth_maxPriorityFeePerGas', 'eth_blobBaseFee']) {
      const { error } = await answer(method)
      t.equal(error?.code, -32601)
      t.ok(error?.message.startsWith(`the method ${method} does not exist/is not available: this network`))
      for (const way of [/--legacy in Foundry/, /type: 'legacy' in viem/, /type: 0 in ethers/]) {
        t.match(error?.message, way)
      }
    }
  }
})

t.test('what is signed for another chain is refused with both chain ids', async (t) => {
  const { answer } = await openDevNode(t)
  const account = privateKeyToAccount(COW_KEY)
  const sentence = (id: number) => `Invalid chainId: ${id}, for the chain id of this network is 33`
  for (const chainId of [1, 30, 31, 110, 111, 137, 1337, 31_337, 11_155_111, 2 ** 48]) {
    const fields = { type: 'legacy', chainId, to: COW_ADDRESS, gas: 21_000n, gasPrice: 1n, nonce: 0 } as const
    for (const value of [0n, 1n, 2n, 3n]) {
      const signed = await account.signTransaction({ ...fields, value })
      for (const method of ['eth_sendRawTransaction', 'eth_sendRawTransactionSync']) {
        t.same((await answer(method, signed)).error, { code: -32602, message: sentence(chainId) })
      }
    }
    const { error } = await answer('eth_sendTransaction', { from: COW_ADDRESS, to: COW_ADDRESS, chainId })
    t.same(error, { code: -32602, message: sentence(chainId) })
  }
})

t.test('ethers and viem know a want of funds and a replacement that pays too little', async (t) => {
  const node = await openOldNode(t)
  const provider = new LocalProvider(node)
  t.teardown(() => provider.destroy())
  const stranger = signedTransaction({ from: STRANGER })
  const poor = signedTransaction({ gasPrice: 10n ** 30n, gasLimit: 100_000n })
  const refusals = [
    [stranger, "the sender account doesn't exist", undefined],
    [poor, 'insufficient funds', toQuantity(10n ** 35n)],
  ] as const
  for (const [{ encoded }, message, required] of refusals) {
    t.match(await node.answer('eth_sendRawTransaction', toHex(encoded)), {
      error: {
        code: -32010,
        message,
        data: { message: 'insufficient funds for gas * price + value', required },
      },
    })
    await t.rejects(provider.send('eth_sendRawTransaction', [toHex(encoded)]), { code: 'INSUFFICIENT_FUNDS' })
  }
  await node.ask('eth_sendRawTransaction', toHex(signedTransaction({ gasPrice: 100n }).encoded))
  const cheap = toHex(signedTransaction({ gasPrice: 101n }).encoded)
  await t.rejects(provider.send('eth_sendRawTransaction', [cheap]), { code: 'REPLACEMENT_UNDERPRICED' })
  const low = signedTransaction({ gasPrice: 0n, gasLimit: 20_000n })
  const other = await node.answer('eth_sendRawTransaction', toHex(low.encoded))
  t.notMatch(JSON.stringify(other.error), /insufficient funds/)
  const client = createWalletClient({
    account: COW_ADDRESS,
    transport: custom({
      request: async ({ method, params }: { method: string; params?: readonly unknown[] }) => {
        const { result, error } = await node.answer(method, ...(params ?? []))
        if (error !== undefined) throw error
        return result as unknown
      },
    }),
  })
  const failed = await client
    .sendTransaction({ chain: null, to: COW_ADDRESS, gasPrice: 10n ** 30n, gas: 100_000n, value: 1n })
    .catch((error: unknown) => error as ViemError)
  t.ok(typeof failed === 'object' && failed.walk((cause) => cause instanceof InsufficientFundsError))
})

t.test('ethers finds a transaction that waits for a nonce, which its signers wait for', async (t) => {
  const node = await openOldNode(t)
  const provider = new LocalProvider(node)
  t.teardown(() => provider.destroy())
  const waiting = signedTransaction({ gasPrice: 1n, nonce: 1n })
  const { hash } = await provider.broadcastTransaction(toHex(waiting.encoded))
  t.match(await provider.getTransaction(hash), { hash, nonce: 1, blockNumber: null })
})
