import { Checkbox, Group, Select, Stack, TagsInput, TextInput } from '@mantine/core'
import { Card } from '../../parts/DetailPage.tsx'
import { AddOne, TakeOut } from '../../parts/several.tsx'
import type { PartProps } from './PageForm.tsx'
import { ANSWERS, newField } from './values.ts'

const TYPES = Object.entries(ANSWERS).map(([value, label]) => ({ value, label }))

/** What payers are asked beside their e-mail address. */
export function Fields({ form }: PartProps) {
  const { customFields } = form.values
  return (
    <Card title="What payers are asked">
      <Stack>
        <Checkbox
          label="Their phone number"
          {...form.getInputProps('collectPhone', { type: 'checkbox' })}
        />
        <Checkbox
          label="Their address"
          {...form.getInputProps('collectAddress', { type: 'checkbox' })}
        />
        {customFields.map(({ key, type }, i) => (
          <Group
            key={key}
            align="flex-start"
            gap="xs"
            role="group"
            aria-label={`Question ${i + 1}`}
            className="framed"
          >
            <TextInput
              label="Question"
              required
              style={{ flex: '2 1 10rem' }}
              {...form.getInputProps(`customFields.${i}.label`)}
            />
            <Select
              label="Answer"
              data={TYPES}
              allowDeselect={false}
              style={{ flex: '1 1 7rem' }}
              {...form.getInputProps(`customFields.${i}.type`)}
            />
            <TakeOut
              what={`question ${i + 1}`}
              onClick={() => form.removeListItem('customFields', i)}
            />
            {type === 'select' && (
              <TagsInput
                label="Choices"
                description="Type one, then press Enter."
                style={{ flex: '1 1 100%' }}
                {...form.getInputProps(`customFields.${i}.options`)}
              />
            )}
            <Checkbox
              label="It must be answered"
              style={{ flex: '1 1 100%' }}
              {...form.getInputProps(`customFields.${i}.required`, { type: 'checkbox' })}
            />
          </Group>
        ))}
        <AddOne
          label="Add a question"
          onClick={() => form.insertListItem('customFields', newField())}
        />
      </Stack>
    </Card>
  )
}
