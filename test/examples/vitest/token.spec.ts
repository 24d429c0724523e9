import { createNode, type DevelopmentNode } from 'rhizome'
import { type Abi, createPublicClient, createWalletClient, type Hex, http, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { rootstockTestnet } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import token from '../../contracts/Token.json' with { type: 'json' }

const abi = token.abi as Abi

describe.each(['same', 'child'] as const)('a node in the process: %s', (place) => {
  let node: DevelopmentNode
  beforeAll(async () => {
    node = await createNode({ process: place, accounts: { count: 2, balance: parseEther('10') } })
  })
  afterAll(() => node.stop())

  test('a token is deployed, moved and says so', async () => {
    const chain = { ...rootstockTestnet, id: node.chainId }
    const transport = http(node.url)
    const [owner, receiver] = node.accounts.map(({ privateKey }) => privateKeyToAccount(privateKey))
    if (owner === undefined || receiver === undefined) throw new Error('two accounts were asked for')
    const client = createPublicClient({ chain, transport, pollingInterval: 50 })
    const wallet = createWalletClient({ account: owner, chain, transport })
    expect(await client.getBalance({ address: receiver.address })).toBe(parseEther('10'))

    const deployment = await wallet.deployContract({ abi, bytecode: token.bytecode as Hex, args: [1000n] })
    const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployment })
    if (!contractAddress) throw new Error('nothing was deployed')
    const contract = { address: contractAddress, abi }
    const hash = await wallet.writeContract({
      ...contract,
      functionName: 'transfer',
      args: [receiver.address, 5n],
    })
    const { blockNumber } = await client.waitForTransactionReceipt({ hash })
    expect(
      await client.readContract({ ...contract, functionName: 'balanceOf', args: [receiver.address] }),
    ).toBe(5n)
    const events = await client.getContractEvents({
      ...contract,
      eventName: 'Transfer',
      fromBlock: blockNumber,
    })
    expect(events.map(({ args }) => args)).toEqual([{ from: owner.address, to: receiver.address, value: 5n }])
  })
})
