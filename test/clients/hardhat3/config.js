import { createRequire } from 'node:module'

const { resolve } = createRequire(import.meta.url)

/** What the projects with viem and with ethers have in common; the compiler is the package of the lock file. */
export const common = {
  solidity: {
    version: '0.8.30',
    path: resolve('solc/soljson.js'),
    npmFilesToBuild: ['@openzeppelin/contracts/proxy/transparent/TransparentUpgradeableProxy.sol'],
    settings: { evmVersion: 'cancun', optimizer: { enabled: true } },
  },
  networks: {
    rhizome: {
      type: 'http',
      chainType: 'generic',
      url: process.env.NODE_URL ?? 'http://127.0.0.1:4444',
      chainId: 33,
    },
  },
  ignition: { requiredConfirmations: 1, blockPollingInterval: 50 },
}
