import { Button, Group, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type Envelope, useReadBy } from '../../api/hooks.ts'
import { t } from '../../texts/pages.ts'
import type { PartProps } from './PageForm.tsx'
import { LINK } from './values.ts'

interface LinkState {
  exists: boolean
  available: boolean
  suggestions: string[]
}

/** The end of a page's address; whether it is free is looked up while it is typed. */
export function LinkInput({ form, own }: PartProps & { own: string | undefined }) {
  const { customLink } = form.values
  const [asked] = useDebouncedValue(customLink, 300)
  const isAsked = LINK.test(asked) && asked !== own
  const state = useReadBy<Envelope<LinkState>>(
    'payment-service/payment-pages/custom-link-check-exist',
    { customLink: asked },
    isAsked && asked === customLink,
  )
  const known = isAsked && asked === customLink && !state.isPlaceholderData
  const found = known ? state.data?.data : undefined
  const { error, ...props } = form.getInputProps('customLink')
  const taken = found && !found.available ? t.anotherPageHasIt : undefined
  return (
    <div>
      <TextInput
        label={t.link}
        description={found?.available ? t.itIsFree : t.theEndOfItsAddress}
        placeholder="ankara-sale"
        {...props}
        error={error ?? taken}
      />
      {taken && found!.suggestions.length > 0 && (
        <Group gap={4} mt={4}>
          <Text size="xs" c="dimmed">
            {t.theseAreFree}
          </Text>
          {found!.suggestions.map((link) => (
            <Button
              key={link}
              size="compact-xs"
              variant="default"
              onClick={() => form.setFieldValue('customLink', link)}
            >
              {link}
            </Button>
          ))}
        </Group>
      )}
    </div>
  )
}
