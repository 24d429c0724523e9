const { hostname, port } = new URL(process.env.NODE_URL)

module.exports = {
  networks: { rhizome: { host: hostname, port, network_id: '*' } },
  compilers: {
    // The compiler is the package of the lock file, so that Truffle downloads none.
    solc: {
      version: `${__dirname}/node_modules/solc`,
      settings: { evmVersion: 'cancun', optimizer: { enabled: true } },
    },
  },
  mocha: { timeout: 120_000 },
}
