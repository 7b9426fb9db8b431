//! A text as words: runs of letters, digits and marks of any script, in lower case. Scripts that put no space between words give pairs of
//! characters.

/// A longer run is an address or a code, and no word.
const LONGEST: usize = 40;

/// The words of a text, in their order. Numbers and single letters are left out.
pub fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut characters = text.chars().flat_map(char::to_lowercase).peekable();
    while let Some(character) = characters.next() {
        // an apostrophe belongs to the word where a letter follows it
        let joins = matches!(character, '\'' | '’') && !word.is_empty();
        if joins && characters.peek().is_some_and(|next| next.is_alphabetic()) {
            word.push('\'');
        } else if character.is_alphanumeric() || is_mark(character) {
            if !word.is_empty() && word.chars().next_back().is_some_and(has_no_spaces) != has_no_spaces(character) {
                end(&mut word, &mut found); // another kind of script begins
            }
            word.push(character);
        } else {
            end(&mut word, &mut found);
        }
    }
    end(&mut word, &mut found);
    found
}

/// Takes a run of characters in.
fn end(word: &mut String, found: &mut Vec<String>) {
    let run = std::mem::take(word);
    let characters: Vec<char> = run.chars().collect();
    if characters.first().copied().is_some_and(has_no_spaces) {
        found.extend(characters.windows(2).map(|pair| pair.iter().collect::<String>()));
        if let [only] = characters[..] {
            found.push(only.to_string());
        }
    } else if (2..=LONGEST).contains(&characters.len()) && !characters.iter().all(|c| c.is_numeric()) {
        found.push(run);
    }
}

/// Marks that are part of a word though they are no letters: accents that stand alone, and signs of Indic scripts that join letters.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{93c}' | '\u{94d}' | '\u{9bc}' | '\u{9cd}' | '\u{a3c}' | '\u{a4d}')
        || matches!(character, '\u{abc}' | '\u{acd}' | '\u{b4d}' | '\u{bcd}' | '\u{c4d}' | '\u{ccd}' | '\u{d4d}')
}

/// Scripts whose words follow each other without spaces: Thai, Lao, Khmer, kana, Han.
fn has_no_spaces(character: char) -> bool {
    matches!(character, '\u{e00}'..='\u{eff}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}')
        || matches!(character, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_any_script() {
        assert_eq!(tokens("What's my CREDIT-limit, 42 a 3d?"), ["what's", "my", "credit", "limit", "3d"]);
        assert_eq!(tokens("'Größe' ΣΊΣΥΦΟΣ naïve"), ["größe", "σίσυφοσ", "naïve"]);
        assert_eq!(tokens("हिन्दी пример"), ["हिन्दी", "пример"]);
        assert_eq!(tokens("信用卡 visa卡"), ["信用", "用卡", "visa", "卡"]);
        assert_eq!(tokens(&"x".repeat(41)), [""; 0]);
        assert_eq!(tokens(" ... \u{0} "), [""; 0]);
    }
}
