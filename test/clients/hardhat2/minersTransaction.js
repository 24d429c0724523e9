const { ProviderWrapper } = require('hardhat/plugins')

// Matchers on changes of balances want blocks of one transaction, but each block of Rootstock ends with the one that
// pays miners (RSKIP-14). It is taken out of blocks that are listed by hashes, which is what the matchers ask for.
class WithoutMinersTransaction extends ProviderWrapper {
  async request(args) {
    const answer = await this._wrappedProvider.request(args)
    if (!/^eth_getBlockBy/.test(args.method) || args.params[1] !== false || !answer) return answer
    return { ...answer, transactions: answer.transactions.slice(0, -1) }
  }
}

module.exports = { WithoutMinersTransaction }
