/** Members whose values follow from what the networks charge and from what they call a block or a transaction. */
const OWN = new Set([
  'gas',
  'gasUsed',
  'gasCost',
  'gasPrice',
  'blockHash',
  'blockNumber',
  'transactionHash',
  'transactionPosition',
  'txHash',
  'hash',
  'r',
  's',
  'v',
  'cumulativeGasUsed',
  'logIndex',
])
const MASK = '(own)'

/** A value as it is compared: members in order, what is each network's own masked, what is nobody's left out. */
function normal(value, key) {
  if (OWN.has(key)) return MASK
  if (Array.isArray(value)) return value.map((one) => normal(one))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, normal(value[name], name)]),
  )
}

/** Where two values differ: paths with both values. */
function differences(mine, theirs, path = '') {
  if (JSON.stringify(mine) === JSON.stringify(theirs)) return []
  const both = [mine, theirs]
  if (
    both.some((value) => value === null || typeof value !== 'object') ||
    Array.isArray(mine) !== Array.isArray(theirs)
  ) {
    return [{ path, mine, theirs }]
  }
  const names = new Set([...Object.keys(mine), ...Object.keys(theirs)])
  return [...names].flatMap((name) => differences(mine[name], theirs[name], `${path}.${name}`))
}

module.exports = { differences, normal }
