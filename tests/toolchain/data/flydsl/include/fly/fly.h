#define ANSWER "1"
