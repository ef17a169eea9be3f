import { Button } from '@mantine/core'
import { IconBook } from '@tabler/icons-react'

export const API_REFERENCE = '/docs'

export function ApiReference() {
  return (
    <Button
      component="a"
      href={API_REFERENCE}
      target="_blank"
      rel="noopener"
      variant="default"
      leftSection={<IconBook size={16} />}
    >
      API reference
    </Button>
  )
}
