export const t = {
  reference: 'API reference',
  referenceWords: 'docs documentation openapi help',
} as const
