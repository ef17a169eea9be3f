import { Group, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { Card } from '../../parts/DetailPage.tsx'
import { AddOne, TakeOut } from '../../parts/several.tsx'
import { t } from '../../texts/products.ts'
import type { Values } from './values.ts'

/** What buyers choose of a product that is being made. */
export function NewOptions({ form }: { form: UseFormReturnType<Values> }) {
  const { options } = form.values
  return (
    <Card title={t.options}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t.sizesColoursAndTheLike}
        </Text>
        {options.map(({ key }, i) => (
          <Group
            key={key}
            align="flex-start"
            gap="xs"
            role="group"
            aria-label={t.optionNumbered(i + 1)}
            className="framed"
          >
            <TextInput
              label={t.option}
              placeholder={t.size}
              style={{ flex: '1 1 8rem' }}
              {...form.getInputProps(`options.${i}.name`)}
            />
            <TagsInput
              label={t.values}
              placeholder="S, M, L"
              splitChars={[',']}
              acceptValueOnBlur
              style={{ flex: '3 1 12rem' }}
              {...form.getInputProps(`options.${i}.values`)}
            />
            <TakeOut what={`option ${i + 1}`} onClick={() => form.removeListItem('options', i)} />
          </Group>
        ))}
        {options.length < 3 && (
          <AddOne
            label={t.addAnOption}
            onClick={() =>
              form.insertListItem('options', { key: crypto.randomUUID(), name: '', values: [] })
            }
          />
        )}
      </Stack>
    </Card>
  )
}
