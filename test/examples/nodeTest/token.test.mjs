// node --test token.test.mjs
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { createNode } from 'rhizome'
import { createPublicClient, createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { rootstockTestnet } from 'viem/chains'

const { abi, bytecode } = JSON.parse(
  readFileSync(new URL('../../contracts/Token.json', import.meta.url), 'utf8'),
)

/** @type {import('rhizome').DevelopmentNode} */
let node
before(async () => {
  node = await createNode()
})
after(() => node.stop())

test('a token is deployed, moved and says so', async () => {
  const chain = { ...rootstockTestnet, id: node.chainId }
  const transport = http(node.url)
  const [owner, receiver] = node.accounts.map(({ privateKey }) => privateKeyToAccount(privateKey))
  assert.ok(owner && receiver)
  const client = createPublicClient({ chain, transport, pollingInterval: 50 })
  const wallet = createWalletClient({ account: owner, chain, transport })
  const deployed = await client.waitForTransactionReceipt({
    hash: await wallet.deployContract({ abi, bytecode, args: [1000n] }),
  })
  const address = deployed.contractAddress
  assert.ok(address)
  const moved = await client.waitForTransactionReceipt({
    hash: await wallet.writeContract({
      address,
      abi,
      functionName: 'transfer',
      args: [receiver.address, 5n],
    }),
  })
  const balance = await client.readContract({
    address,
    abi,
    functionName: 'balanceOf',
    args: [receiver.address],
  })
  assert.equal(balance, 5n)
  const fromBlock = moved.blockNumber
  const events = await client.getContractEvents({ address, abi, eventName: 'Transfer', fromBlock })
  assert.deepEqual(
    events.map((event) => 'args' in event && event.args),
    [{ from: owner.address, to: receiver.address, value: 5n }],
  )
})
