import { prepare } from './requests.js'

/** What Otterscan asks, of a chain with a token and a transfer. */
const REQUESTS = [
  ['ots_getApiLevel', () => []],
  ['ots_hasCode', ({ token }) => [token, 'latest']],
  ['ots_getInternalOperations', ({ transactionHash }) => [transactionHash]],
  ['ots_getTransactionError', ({ transactionHash }) => [transactionHash]],
  ['ots_traceTransaction', ({ transactionHash }) => [transactionHash]],
  ['ots_getBlockDetails', ({ blockNumber }) => [Number(blockNumber)]],
  ['ots_getBlockDetailsByHash', ({ blockHash }) => [blockHash]],
  ['ots_getBlockTransactions', ({ blockNumber }) => [Number(blockNumber), 0, 5]],
  ['ots_searchTransactionsBefore', ({ first }) => [first, 0, 5]],
  ['ots_searchTransactionsAfter', ({ first }) => [first, 0, 5]],
  ['ots_getTransactionBySenderAndNonce', ({ first, nonce }) => [first, nonce]],
  ['ots_getContractCreator', ({ token }) => [token]],
  ['erigon_getHeaderByNumber', ({ blockNumber }) => [Number(blockNumber)]],
]

/** Members that anvil tells and this node does not, or as another kind, and why. */
const KNOWN = [
  // Ethereum's own, which this network does not have.
  /\.(baseFeePerGas|blobGasUsed|excessBlobGas|parentBeaconBlockRoot|requestsHash|withdrawals\w*|mixHash|accessList)\b/,
  /\.(maxFeePerGas|maxPriorityFeePerGas|blobGasPrice|yParity|authorizationList|effectiveGasPrice|chainId|nonce)\b/,
  // Without logs, as Erigon and Otterscan's document have it (decisions.md D91).
  /^ots_getBlock\w+\.(block|fullblock)\.logsBloom|^ots_getBlockTransactions\.receipts\[\]\.logs/,
  // Erigon answers with a header, anvil with a block.
  /^erigon_getHeaderByNumber\.(totalDifficulty|size|uncles|transactions)/,
  // Alloy's own, and what is always false in a block.
  /\.(blockTimestamp|removed)$/,
]

/**
 * The form of an answer: a line for each member, with the kind of its value. Members of a list are as its first.
 * @returns {Map<string, string>}
 */
function formOf(value, path = '', form = new Map()) {
  if (Array.isArray(value)) {
    form.set(path, 'list')
    if (value.length > 0) formOf(value[0], `${path}[]`, form)
  } else if (typeof value === 'object' && value !== null) {
    form.set(path, 'object')
    for (const [name, member] of Object.entries(value)) formOf(member, `${path}.${name}`, form)
  } else {
    form.set(
      path,
      value === null ? 'null' : typeof value === 'string' && value.startsWith('0x') ? 'hex' : typeof value,
    )
  }
  return form
}

/** The forms of all answers of a node, each under its method. */
export async function otterscanForms(ask) {
  const scene = await prepare(ask)
  const { blockHash, nonce } = await ask('eth_getTransactionByHash', scene.transactionHash)
  const forms = {}
  for (const [method, parameters] of REQUESTS) {
    const asked = parameters({ ...scene, blockHash, nonce: Number(nonce) })
    forms[method] = await ask(method, ...asked).then(
      (answer) => formOf(answer),
      (error) => new Map([['', `error: ${error.message}`]]),
    )
  }
  return forms
}

/**
 * Differences of two nodes that are not of their networks.
 * @returns {string[]}
 */
export function differencesOf(own, peer) {
  return Object.keys(own).flatMap((method) => {
    const paths = new Set([...own[method].keys(), ...peer[method].keys()])
    return [...paths].flatMap((path) => {
      const [ours, theirs] = [own[method].get(path), peer[method].get(path)]
      const isKnown = KNOWN.some((pattern) => pattern.test(`${method}${path}`))
      const isSame = theirs === undefined || ours === theirs || isKnown
      return isSame ? [] : [`${method}${path}: ${ours ?? 'absent'}, anvil ${theirs}`]
    })
  })
}
