/// Writes cents as a price: 1234567 becomes 12,345.67.
pub fn price(cents: u64) -> String {
    let mut text = (cents / 100).to_string();
    let mut place = text.len();
    while place > 3 {
        place -= 3;
        text.insert(place, ',');
    }
    text + &format!(".{:02}", cents % 100)
}
