/** Its node runs with what it is given by default. */
const config = {}

// biome-ignore lint/style/noDefaultExport: Hardhat asks for it.
export default config
