import { ponder } from 'ponder:registry'
import { account, block, call, payment, transfer } from 'ponder:schema'

ponder.on('Token:Transfer', async ({ event, context }) => {
  const { to, value } = event.args
  await context.db.insert(transfer).values({
    id: event.id,
    to,
    value,
    block: Number(event.block.number),
    gasUsed: event.transactionReceipt.gasUsed,
  })
  // Read as of the event's block.
  const balance = await context.client.readContract({
    abi: context.contracts.Token.abi,
    address: event.log.address,
    functionName: 'balanceOf',
    args: [to],
  })
  await context.db
    .insert(account)
    .values({ address: to, sum: value, balance })
    .onConflictDoUpdate((row) => ({ sum: row.sum + value, balance }))
})

ponder.on('Token.transfer()', async ({ event, context }) => {
  await context.db.insert(call).values({ id: event.id, value: event.args[1] })
})

ponder.on('Payee:transaction:to', async ({ event, context }) => {
  await context.db.insert(payment).values({ id: event.id, value: event.transaction.value })
})

ponder.on('Every:block', async ({ event, context }) => {
  await context.db.insert(block).values({ number: Number(event.block.number), hash: event.block.hash })
})
