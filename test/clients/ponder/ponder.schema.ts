import { onchainTable } from 'ponder'

export const transfer = onchainTable('transfer', (t) => ({
  id: t.text().primaryKey(),
  to: t.hex().notNull(),
  value: t.bigint().notNull(),
  block: t.integer().notNull(),
  gasUsed: t.bigint().notNull(),
}))

export const account = onchainTable('account', (t) => ({
  address: t.hex().primaryKey(),
  sum: t.bigint().notNull(),
  balance: t.bigint().notNull(),
}))

export const call = onchainTable('call', (t) => ({ id: t.text().primaryKey(), value: t.bigint().notNull() }))

export const payment = onchainTable('payment', (t) => ({
  id: t.text().primaryKey(),
  value: t.bigint().notNull(),
}))

export const block = onchainTable('block', (t) => ({
  number: t.integer().primaryKey(),
  hash: t.hex().notNull(),
}))
