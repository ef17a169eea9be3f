// `medusa exec` runs this. Creates the products, a region, and the keys for both APIs, which are
// written to KEYS_FILE. The environment has ROWS.

const { writeFileSync } = require('node:fs')
const { Modules } = require('@medusajs/framework/utils')
const {
  createApiKeysWorkflow,
  createProductsWorkflow,
  createRegionsWorkflow,
  createShippingProfilesWorkflow,
  linkSalesChannelsToApiKeyWorkflow,
} = require('@medusajs/medusa/core-flows')

const { KEYS_FILE, ROWS } = process.env
const BATCH_ROWS = 250

module.exports.default = async function fill({ container }) {
  const run = async (workflow, input) => (await workflow(container).run({ input })).result
  const [channel] = await container.resolve(Modules.SALES_CHANNEL).listSalesChannels()
  const [region] = await run(createRegionsWorkflow, {
    regions: [{ name: 'Europe', currency_code: 'eur', countries: ['de'] }],
  })
  const [profile] = await run(createShippingProfilesWorkflow, {
    data: [{ name: 'Standard', type: 'default' }],
  })
  const [publishable, secret] = await run(createApiKeysWorkflow, {
    api_keys: ['publishable', 'secret'].map((type) => ({ type, title: type, created_by: '' })),
  })
  await run(linkSalesChannelsToApiKeyWorkflow, { id: publishable.id, add: [channel.id] })
  for (let n = 0; n < Number(ROWS); n += BATCH_ROWS) {
    const products = Array.from({ length: Math.min(BATCH_ROWS, Number(ROWS) - n) }, (_, i) =>
      product(`${n + i}`, channel, profile),
    )
    await run(createProductsWorkflow, { products })
  }
  const keys = { secret: secret.token, publishable: publishable.token, region: region.id }
  writeFileSync(KEYS_FILE, JSON.stringify({ ...keys, profile: profile.id, channel: channel.id }))
}

const product = (name, channel, profile) => ({
  title: `Ankara shirt ${name}`,
  description: 'Two metres of cotton, dyed with indigo, in one size.',
  status: 'published',
  shipping_profile_id: profile.id,
  sales_channels: [{ id: channel.id }],
  options: [{ title: 'Size', values: ['One'] }],
  variants: [
    {
      title: 'One',
      sku: `ANK-${name}`,
      // Without a stock location, a counted variant could not be added to a cart.
      manage_inventory: false,
      options: { Size: 'One' },
      prices: [{ amount: 15_000.5, currency_code: 'eur' }],
    },
  ],
})
