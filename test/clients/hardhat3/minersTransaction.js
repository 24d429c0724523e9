// The matcher on changes of balances of tokens wants blocks of one transaction, but each block of Rootstock ends with
// the one that pays miners (RSKIP-14). It is taken out of blocks that are listed by hashes, which the matcher asks for.
const onRequest = async (context, connection, request, next) => {
  const answer = await next(context, connection, request)
  if (!/^eth_getBlockBy/.test(request.method) || request.params[1] !== false || !answer.result) return answer
  return { ...answer, result: { ...answer.result, transactions: answer.result.transactions.slice(0, -1) } }
}

export const withoutMinersTransaction = {
  id: 'without-miners-transaction',
  hookHandlers: { network: async () => ({ default: async () => ({ onRequest }) }) },
}
